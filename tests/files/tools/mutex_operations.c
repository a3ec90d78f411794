// Where all mutexes are of the default kind, their operations are instructions, in steps of their own
// where a statement is one step otherwise; where one may be of another kind, they are calls of models.
// RUN: sapa-cc %s | sed -n '/^define @main/,/^}/p' | sed 's/  #.*//'
// RUN: sapa-cc --atomicity statement %s | sed -n '/^define @main/,/^}/p' | sed 's/  #.*//'
// RUN: sapa-cc -DRECURSIVE %s | sed -n '/^define @main/,/^}/p' | grep call | sed 's/  #.*//'
#include <pthread.h>
#include <threads.h>

pthread_mutex_t mutex;
pthread_cond_t condition;
mtx_t other;
int got;

int main(void) {
    if (pthread_mutex_init(&mutex, NULL) != 0)
        return 1;
    mtx_init(&other, mtx_plain);
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);
    got = mtx_trylock(&other);
    pthread_mutex_unlock(&mutex);
#ifdef RECURSIVE
    mtx_init(&other, mtx_recursive);
#endif
}
