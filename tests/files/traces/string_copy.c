// The reader sees half of the copied word.
// RUN: sapa check %s --threads 2
// EXIT: 10
#include <assert.h>
#include <pthread.h>
#include <string.h>
char word[6] = "night";
void *writer(void *unused) { strcpy(word, "day"); return 0; }
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, writer, 0);
    char first = word[0], last = word[4];
    assert(first != 'd' || last != 't');
    pthread_join(t, 0);
    assert(strlen(word) == 3);
}
