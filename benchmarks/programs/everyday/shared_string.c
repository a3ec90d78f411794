// Two threads copy a word each into a shared array of four characters; main compares it with both words.
//
// Safe: a word is copied under the mutex, so the array holds one word or the other.
// Broken: the words are copied without the mutex, and the array may hold letters of both.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static char word[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *copy(void *arg)
{
    const char *text = arg;
#ifndef BROKEN
    pthread_mutex_lock(&lock);
#endif
    for (int i = 0; i < 4; i++)
        word[i] = text[i];
#ifndef BROKEN
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, copy, "cat");
    pthread_create(&b, NULL, copy, "dog");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_lock(&lock);
    assert(strcmp(word, "cat") == 0 || strcmp(word, "dog") == 0);
    pthread_mutex_unlock(&lock);
    return 0;
}
