// precise: SUCCESSFUL
// A year that fits no `int` has no text, one of more than four digits none of the usual length.
#define _DEFAULT_SOURCE
#include <assert.h>
#include <errno.h>
#include <string.h>
#include <time.h>

int main(void)
{
    struct tm usual = {.tm_year = 126, .tm_mday = 26}, late = {.tm_year = 2147483647}, later = {.tm_year = 30000};
    time_t now = 1795708800;
    char text[26];
    assert(strlen(asctime(&usual)) == 25 && asctime_r(&usual, text) == text && text[24] == '\n');
    errno = 0;
    assert(!asctime(&late) && errno == EOVERFLOW && !asctime_r(&late, text));
    char *date = ctime(&now);
    assert(!date || date[24] == '\n');
    assert(asctime(&later));
    return 0;
}
