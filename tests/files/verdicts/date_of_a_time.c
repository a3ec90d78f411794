// known gap: SUCCESSFUL
// That a time is always the same date is not modelled.
#include <assert.h>
#include <time.h>

int main(void)
{
    time_t time = 0;
    struct tm date;
    assert(!gmtime_r(&time, &date) || date.tm_year == 70);
    return 0;
}
