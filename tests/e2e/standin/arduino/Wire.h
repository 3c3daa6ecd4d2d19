/* A bus with nothing on it. */
#ifndef STANDIN_WIRE_H
#define STANDIN_WIRE_H

#include <cstdint>

struct StandinWire {
    void setSDA(uint32_t) {}
    void setSCL(uint32_t) {}
    void begin() {}
    void setClock(uint32_t) {}
    void beginTransmission(uint8_t) {}
    void write(uint8_t) {}
    int endTransmission(bool stop = true) { return stop ? 2 : 3; }
    int requestFrom(uint8_t, uint8_t) { return 0; }
    int read() { return -1; }
};

extern StandinWire Wire;

#endif
