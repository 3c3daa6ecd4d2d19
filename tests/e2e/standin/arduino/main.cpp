#include "Arduino.h"

StandinSerial Serial;

int main()
{
    setup();
    loop();
}
