// What is wrong in a file of predicates is said with its place.
// RUN: sapa check %s --predicates %d/messages.predicates 2>&1
// EXIT: 2
// check: messages.predicates:1:10: error: nothing is called 'nothing'; locals are 'function::variable'
// check: messages.predicates:2:1: error: 'my' may be worker::my or reader::my
// check: messages.predicates:3:10: error: nothing is called 'worker::%99'; locals are 'function::variable'
// check: messages.predicates:4:1: error: the predicate reads locals of two functions; it may read those of one, and those of another thread in brackets
// check: messages.predicates:5:7: error: expected an operator or the end of the line, found '='
// check: messages.predicates:6:8: error: a pointer and an integer: one of them needs a cast
// check: messages.predicates:7:1: error: an object of type void has no value: say what is there by a cast, as in '*(int *)p'
// check: messages.predicates:8:1: error: this is no scalar: a member is missing
// check: messages.predicates:9:7: error: the structure has no member 'z'
// check: messages.predicates:10:1: error: the module has no structure 'line'
// check: messages.predicates:11:1: error: the width of a _BitInt is a number from 1 to 128
// check: messages.predicates:12:12: error: expected an operator or the end of the line, found '2'
// check: messages.predicates:13:7: error: expected ')' after the expression, found the end of the line
// check: messages.predicates:14:10: error: unexpected character '`'
// check: messages.predicates:15:1: error: this is not supported in predicates: they have variables, constants and operators
// check: messages.predicates:16:1: error: this is not supported in predicates: they have variables, constants and operators
// check: messages.predicates:17:24: error: this is no array
// check: messages.predicates:18:1: error: brackets are around what all threads share; write it without
// check: messages.predicates:19:1: error: brackets stand within brackets; one other thread is meant
// check: messages.predicates:20:17: error: expected ']' after what another thread has, found the end of the line
// check: messages.predicates:21:1: error: the predicate reads locals of two functions; it may read those of one, and those of another thread in brackets
// check: messages.predicates:22:1: error: the predicate reads locals of two functions; it may read those of one, and those of another thread in brackets
#include <assert.h>
#include <pthread.h>

struct point { int x, y; } point;
int count, table[3];
void *head = &point;

void *worker(void *argument)
{
    int my = count;
    assert(my == table[0] + point.x || head);
    count = my;
    return 0;
}

void *reader(void *argument)
{
    int my = count;
    assert(my == count);
    return 0;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, worker, 0);
    pthread_create(&t, 0, reader, 0);
}
