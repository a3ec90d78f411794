// A thread reverses a string in place, and main reverses it again.
//
// Safe: a string that is reversed twice is the one it was, and reversed once "stressed" is "desserts".
// Broken: the loop exchanges each pair of characters twice, so the string stays as it was.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char text[] = "stressed";

static void *reverse(void *arg)
{
    char *s = arg;
    size_t length = strlen(s);
#ifdef BROKEN
    for (size_t i = 0; i < length; i++) {
#else
    for (size_t i = 0; i < length / 2; i++) {
#endif
        char c = s[i];
        s[i] = s[length - 1 - i];
        s[length - 1 - i] = c;
    }
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reverse, text);
    pthread_join(thread, NULL);
    assert(strcmp(text, "desserts") == 0);
    reverse(text);
    assert(strcmp(text, "stressed") == 0);
    return 0;
}
