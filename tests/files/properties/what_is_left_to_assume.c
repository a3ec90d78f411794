// RUN: cd %d && sapa check --property overflow -DFOLDED what_is_left_to_assume.c
// RUN: cd %d && sapa check --property leaks -DEXITS what_is_left_to_assume.c
// RUN: cd %d && sapa check --property pointers -DPRINTS what_is_left_to_assume.c
// RUN: cd %d && sapa check --property pointers -DTHREAD what_is_left_to_assume.c
// RUN: cd %d && sapa check --property pointers --mm pso -DPRINTS what_is_left_to_assume.c
// RUN: cd %d && sapa check --property leaks -DAGAIN what_is_left_to_assume.c 2>&1
// What a property does not look at is among what the verdict assumes; what it cannot look at is refused.
// EXIT: 5
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
_Thread_local int own;
int *kept, done;

void *run(void *unused) {
    kept = &own;
    return 0;
}

int main(void) {
#if defined FOLDED
    static int folded = 2147483647 + 1;
    return folded;
#elif defined EXITS
    char *text = malloc(4);
    free(text);
    pthread_exit(0);
#elif defined PRINTS
    char *text = malloc(4);
    text[0] = 0;
    printf("%s", text);
    free(text);
#elif defined THREAD
    pthread_t thread;
    pthread_create(&thread, 0, run, 0);
    pthread_join(thread, 0);
#elif defined AGAIN
    char *text = malloc(4);
    if (!done) {
        done = 1;
        main();
    }
    free(text);
#endif
    return 0;
}
