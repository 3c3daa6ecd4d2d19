#include "Arduino.h"
#include "Wire.h"

StandinSerial Serial;
StandinWire Wire;

int main()
{
    setup();
    for (;;) {
        loop();
    }
}
