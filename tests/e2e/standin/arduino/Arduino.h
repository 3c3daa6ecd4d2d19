/* As much of an Arduino core as the exported project needs, on standard input and output. */
#ifndef STANDIN_ARDUINO_H
#define STANDIN_ARDUINO_H

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <poll.h>
#include <thread>
#include <unistd.h>

#define HIGH 1
#define LOW 0
#define OUTPUT 1
#define D7 7
#define D14 14
#define D15 15

void setup();
void loop();

inline uint64_t standin_us()
{
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(now).count());
}

inline unsigned long millis() { return static_cast<unsigned long>(standin_us() / 1000U); }
inline unsigned long micros() { return static_cast<unsigned long>(standin_us()); }
inline void delay(unsigned long ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }
inline void delayMicroseconds(unsigned int us)
{
    std::this_thread::sleep_for(std::chrono::microseconds(us));
}
inline void pinMode(int, int) {}
inline void digitalWrite(int, int) {}

struct StandinSerial {
    explicit operator bool() const { return true; }
    void begin(unsigned long) {}
    void end() {}
    void flush() { std::fflush(stdout); }
    void write(char c) { std::putchar(c); }
    int read() /* the end of the input ends the program */
    {
        pollfd waiting = {STDIN_FILENO, POLLIN, 0};
        unsigned char c = 0;
        if (poll(&waiting, 1, 0) <= 0) {
            return -1;
        }
        if (::read(STDIN_FILENO, &c, 1) != 1) {
            std::exit(0);
        }
        return c;
    }
};

extern StandinSerial Serial;

#endif
