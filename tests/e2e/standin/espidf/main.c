#include <unistd.h>

void app_main(void);

/* A task goes on when app_main has returned; the end of the input ends the program. */
int main(void)
{
    app_main();
    (void)pause();
    return 0;
}
