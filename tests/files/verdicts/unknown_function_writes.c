// precise: SUCCESSFUL --threads 1 --unknown-functions havoc
// precise: FAILED --threads 1 --unknown-functions havoc -DREACHED
// sound: FAILED --threads 1 --unknown-functions havoc --timeout 5 -DIN_A_STRUCTURE
// sound: FAILED --threads 1 --unknown-functions havoc --timeout 5 -DLINKED
// NOTE extern function `fill` returns any value and writes any to what its arguments lead to, but not to constants, keeps no pointer, and calls nothing of the program
// A function that is not defined writes what its arguments lead to, and nothing else.
#include <assert.h>
#include <pthread.h>

struct node { int value; struct node *next; };

void fill(int *to, const int *from);
void change(struct node *list);

int number = 1, constant = 2, other = 3;
struct node second = { 5, 0 }, first = { 4, &second };

void *worker(void *unused) {
    fill(&number, &constant);
#if defined IN_A_STRUCTURE || defined LINKED
    change(&first);
#endif
    return 0;
}

int main(void) {
    pthread_t thread;
    pthread_create(&thread, 0, worker, 0);
    pthread_join(thread, 0);
    assert(constant == 2 && other == 3);
#ifdef REACHED
    assert(number != 1000);
#endif
#ifdef IN_A_STRUCTURE
    assert(first.value == 4);
#endif
#ifdef LINKED
    assert(second.value != 6);
#endif
}
