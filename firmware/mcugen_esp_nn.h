/*
 * The headers of ESP-NN for generated code, and what must hold of the library.
 *
 * The results and the working memory were planned for ESP-NN 1.2.3. Its functions keep the address
 * of their working memory in variables of their own, which the generated code sets before each
 * call: two inferences must not run at the same time, not even those of different models.
 */
#ifndef MCUGEN_ESP_NN_H
#define MCUGEN_ESP_NN_H

/* The vendor's headers are not held to our warnings, wherever the build finds them. */
#if defined(__GNUC__)
#pragma GCC system_header
#endif

/* The choice between the library's assembly and its plain C: its header looks at it but does not
 * include it. */
#ifdef ESP_PLATFORM
#include "sdkconfig.h"
#endif

/* Without its nudge the library rounds some results otherwise. */
#if defined(SKIP_NUDGE) || defined(CONFIG_NN_SKIP_NUDGE)
#error "ESP-NN must be built without CONFIG_NN_SKIP_NUDGE: the model was planned for exact rounding"
#endif

#ifdef __has_include
#if !__has_include("esp_nn.h")
#error "ESP-NN is not on the include path: mcugen export --vendor-dir copies what is needed"
#endif
#endif
#include "esp_nn.h"

/* Headers of other versions have no version number to look at: older ones have no logistic
 * function, newer ones announce what they have besides. */
#if !defined(esp_nn_logistic_s8) || !defined(esp_nn_mean_nhwc_s8) \
    || defined(ESP_NN_HAS_DUAL_CORE_CLAIM) || defined(ESP_NN_HAS_FC_S8_BATCH_SCRATCH)
#error "this ESP-NN is another version than 1.2.3"
#endif

#endif
