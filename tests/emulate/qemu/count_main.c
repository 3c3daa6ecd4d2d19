/* One inference between two marks, on zeros; the model has a mark after each layer. */
#include "semihost.h"

#include "MODEL.h"

START_SECTION int qemu_main(void)
{
    int error;
    mcugen_bare_mark();
    error = MODEL_invoke();
    mcugen_bare_mark();
    return error;
}
