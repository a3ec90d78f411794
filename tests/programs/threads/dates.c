// covers: dates
// expect: successful
// threads: 0
#include <assert.h>
#include <time.h>

int main(void)
{
    time_t now = time(0);
    struct tm *date = localtime(&now);
    if (date)
        assert(date->tm_mon >= 0 && date->tm_mon < 12 && date->tm_mday > 0 && date->tm_sec < 61);
    return 0;
}
