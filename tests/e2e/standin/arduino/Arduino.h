/* As much of an Arduino core as the exported main needs, printing to stdout. */
#ifndef STANDIN_ARDUINO_H
#define STANDIN_ARDUINO_H

#include <cstdint>
#include <cstdio>

void setup();
void loop();

inline unsigned long millis() { return 0; }
inline unsigned long micros() { return 0; }
inline void delay(unsigned long) {}

struct StandinSerial {
    explicit operator bool() const { return true; }
    void begin(unsigned long) {}
    void write(char c) { std::putchar(c); }
    template <typename T> void print(T) {}
    template <typename T> void println(T) {}
    void println() {}
};

extern StandinSerial Serial;

#endif
