// covers: string-functions
#define _GNU_SOURCE
#include <string.h>
#include <strings.h>
#include "observe.h"

int main(void)
{
    const char *text = "one, two;three";
    observe(strstr(text, "two") - text);
    observe(strstr(text, "four") == 0);
    observe(strstr(text, "") == text);
    observe(strcasestr(text, "TWO") - text);
    observe(strspn(text, "eno"));
    observe(strcspn(text, ";,"));
    observe(strpbrk(text, ";") - text);
    observe(strchrnul(text, '!') - text);
    observe(index(text, 'w') - text);
    observe(rindex(text, 't') - text);
    observe(strcasecmp("Abc", "aBC"));
    observe(strncasecmp("Abc", "aBd", 2));
    observe(strcasecmp("a", "B") < 0);
    observe(strcoll("b", "a") > 0);

    char words[] = ",one, two;;three,", *rest;
    for (char *word = strtok_r(words, ", ;", &rest); word; word = strtok_r(0, ", ;", &rest)) {
        observe(strlen(word));
        observe(word - words);
    }
    char others[] = "a-b";
    observe(*strtok(others, "-"));
    observe(*strtok(0, "-"));
    observe(strtok(0, "-") == 0);
    char fields[] = "x::y", *next = fields;
    for (char *field; (field = strsep(&next, ":"));)
        observe(*field);

    char copy[16] = "ab";
    strncat(copy, "cde", 2);
    observe(strcmp(copy, "abcd"));
    observe(stpcpy(copy, "xyz") - copy);
    observe(stpncpy(copy, "q", 3) - copy);
    observe(copy[1] + copy[2] + copy[3]);
    observe((char *)mempcpy(copy, "123", 3) - copy);
    observe((char *)memccpy(copy, "45678", '6', 5) - copy);
    observe(copy[2]);
    observe(memccpy(copy, "45678", '9', 5) == 0);
    observe((char *)memrchr("abca", 'a', 4) == 0);
    observe((char *)memmem(text, 14, "e,", 2) - text);
    observe(bcmp("ab", "ab", 2));
    bcopy(copy, copy + 1, 4);
    observe(copy[1] + copy[4]);
    observe_end();
    return 0;
}
