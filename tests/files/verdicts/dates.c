// precise: SUCCESSFUL
#include <assert.h>
#include <string.h>
#include <time.h>

int main(void)
{
    time_t now = time(0);
    struct tm *date = localtime(&now), utc;
    char text[6];
    if (date)
        assert(date->tm_mon >= 0 && date->tm_mon < 12 && date->tm_mday > 0 && date->tm_sec < 61);
    if (gmtime_r(&now, &utc))
        assert(utc.tm_wday < 7 && !utc.tm_isdst);
    size_t length = strftime(text, sizeof text, "%H:%M", &utc);
    assert(length < sizeof text && (!length || !text[length]));
    return 0;
}
