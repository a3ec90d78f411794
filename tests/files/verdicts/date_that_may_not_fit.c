// precise: INCONCLUSIVE
// What a text of a year of five digits becomes is glibc's.
#include <assert.h>
#include <time.h>

int main(void)
{
    struct tm date = {.tm_year = 30000};
    char text[26];
    assert(asctime_r(&date, text));
    return 0;
}
