#define _XOPEN_SOURCE 700 /* pseudo-terminals */

#include "mcugen_hal_host.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#define BUFFER_BYTES 4096U
#define METER_ADDRESS 0x40U

static int input_fd = STDIN_FILENO;
static int output_fd = STDOUT_FILENO;
static bool on_terminal = false; /* a pseudo-terminal */
static pid_t parent;
static FILE *marks = NULL;

static char output[BUFFER_BYTES];
static size_t output_bytes = 0U;

static pthread_t thread;
static bool started = false; /* a thread that was not joined yet */
static atomic_bool running = false;
static void (*thread_function)(void *context) = NULL;
static void *thread_context = NULL;

_Noreturn static void stop(const char *what)
{
    (void)fprintf(stderr, "error: %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
}

/* Who started this program to talk to it is gone. */
static bool is_orphan(void)
{
    return on_terminal && getppid() != parent;
}

static bool wait_for(int fd, short event, int ms)
{
    struct pollfd waiting = {fd, event, 0};
    return poll(&waiting, 1, ms) > 0;
}

static void flush(void)
{
    size_t sent = 0U;
    while (sent < output_bytes) {
        const ssize_t count = write(output_fd, &output[sent], output_bytes - sent);
        if (count > 0) {
            sent += (size_t)count;
        } else if (errno != EAGAIN && errno != EINTR) {
            stop("output");
        } else if (is_orphan()) {
            exit(EXIT_FAILURE);
        } else {
            (void)wait_for(output_fd, POLLOUT, 100);
        }
    }
    output_bytes = 0U;
}

static void put_char(char c)
{
    if (output_bytes == BUFFER_BYTES) {
        flush();
    }
    output[output_bytes] = c;
    output_bytes++;
}

static int get_char(void)
{
    unsigned char c = 0U;
    ssize_t count;
    if (is_orphan()) {
        return MCUGEN_HAL_CLOSED;
    }
    if (!wait_for(input_fd, POLLIN, 0)) {
        return MCUGEN_HAL_NONE;
    }
    count = read(input_fd, &c, 1U);
    if (count == 1) {
        return (int)c;
    }
    return (count == 0) ? MCUGEN_HAL_CLOSED : MCUGEN_HAL_NONE;
}

static uint64_t now_us(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000U + (uint64_t)now.tv_nsec / 1000U;
}

static void set_trigger(bool high)
{
    if (marks != NULL) {
        (void)fprintf(marks, "%llu %d\n", (unsigned long long)now_us(), high ? 1 : 0);
        (void)fflush(marks);
    }
}

static void sleep_us(uint64_t us)
{
    struct timespec left;
    left.tv_sec = (time_t)(us / 1000000U);
    left.tv_nsec = (long)(us % 1000000U) * 1000L;
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
        /* the rest */
    }
}

static void idle(void)
{
    (void)wait_for(input_fd, POLLIN, 1);
}

static void *work(void *unused)
{
    (void)unused;
    thread_function(thread_context);
    atomic_store(&running, false);
    return NULL;
}

static bool start(uint32_t core, void (*function)(void *context), void *context)
{
    (void)core; /* there is one other */
    thread_function = function;
    thread_context = context;
    atomic_store(&running, true);
    started = pthread_create(&thread, NULL, work, NULL) == 0;
    if (!started) {
        atomic_store(&running, false);
    }
    return started;
}

static bool busy(void)
{
    const bool found = atomic_load(&running);
    if (!found && started) {
        (void)pthread_join(thread, NULL);
        started = false;
    }
    return found;
}

static bool i2c_read(uint8_t address, uint8_t reg, uint16_t *value)
{
    return address == METER_ADDRESS && mcugen_hal_host_meter(reg, atomic_load(&running), value);
}

static bool i2c_write(uint8_t address, uint8_t reg, uint16_t value)
{
    uint16_t old;
    (void)value; /* the readings are invented whatever the configuration */
    return i2c_read(address, reg, &old);
}

/* A pseudo-terminal without echo or conversions. Its other end stays open here too, so that hosts
 * may come and go. */
static void open_terminal(void)
{
    struct termios raw;
    const int fd = posix_openpt(O_RDWR | O_NOCTTY);
    const char *path;
    int other;
    if (fd < 0 || grantpt(fd) != 0 || unlockpt(fd) != 0) {
        stop("pseudo-terminal");
    }
    path = ptsname(fd);
    other = (path != NULL) ? open(path, O_RDWR | O_NOCTTY) : -1;
    if (other < 0 || tcgetattr(other, &raw) != 0) {
        stop("pseudo-terminal");
    }
    raw.c_iflag = 0U;
    raw.c_oflag = 0U;
    raw.c_lflag = 0U;
    if (tcsetattr(other, TCSANOW, &raw) != 0 || fcntl(fd, F_SETFL, O_NONBLOCK) != 0) {
        stop("pseudo-terminal");
    }
    (void)printf("%s\n", path);
    (void)fflush(stdout);
    input_fd = fd;
    output_fd = fd;
    on_terminal = true;
}

const mcugen_hal *mcugen_hal_host(int argc, char **argv)
{
    static const mcugen_hal hal = {put_char, get_char, flush, now_us, NULL,     set_trigger,
                                   NULL,     sleep_us, idle,  2U,     0U,       0U,
                                   start,    busy,     NULL,  NULL};
    static const mcugen_hal with_meter = {put_char, get_char, flush, now_us,   NULL,    set_trigger,
                                          NULL,     sleep_us, idle,  2U,       0U,      0U,
                                          start,    busy,     i2c_read, i2c_write};
    const char *file = getenv("MCUGEN_HOST_MARKS");
    uint16_t value;
    parent = getppid();
    if (file != NULL) {
        marks = fopen(file, "w");
        if (marks == NULL) {
            stop(file);
        }
    }
    if (argc > 1 && strcmp(argv[1], "--pty") == 0) {
        open_terminal();
    } else if (argc > 1) {
        (void)fprintf(stderr, "usage: %s [--pty]\n", argv[0]);
        exit(2);
    } else {
        /* standard input and output */
    }
    return mcugen_hal_host_meter(0U, false, &value) ? &with_meter : &hal;
}
