// precise: SUCCESSFUL --threads 1
// precise: FAILED --threads 1 -DWRONG
// A function that takes `...` reads what it was passed: of all types, by name and through pointers, in copies of the list,
// in functions that are handed it, and in threads.
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>

struct point {
    int x, y, z;
};

static int read_all(const char *kinds, ...)
{
    va_list list, copy;
    int result = 0;
    va_start(list, kinds);
    va_copy(copy, list);
    for (; *kinds; kinds++)
        switch (*kinds) {
        case 'i': result += va_arg(list, int); break;
        case 'l': result += (int)va_arg(list, long); break;
        case 'd': result += (int)va_arg(list, double); break;
        case 'p': *va_arg(list, int *) = 7; break;
        case 's': result += va_arg(list, struct point).z; break;
        }
    va_end(list);
    assert(va_arg(copy, int) == 1);
    va_end(copy);
    return result;
}

static int sum_of_list(int count, va_list list)
{
    int sum = 0;
    while (count-- > 0)
        sum += va_arg(list, int);
    return sum;
}

/* The list goes on where the other function has stopped. */
static int sum(int count, ...)
{
    va_list list;
    va_start(list, count);
    int first = sum_of_list(count - 1, list);
    first = first * 10 + va_arg(list, int);
    va_end(list);
    return first;
}

static const char *first_that_is_not_empty(const char *text, ...)
{
    va_list list;
    va_start(list, text);
    while (text && !*text)
        text = va_arg(list, const char *);
    va_end(list);
    return text;
}

static struct point make(int count, ...)
{
    va_list list;
    va_start(list, count);
    struct point made = {va_arg(list, int), 0, 0};
    made.y = va_arg(list, int);
    va_end(list);
    return made;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void add(int count, ...)
{
    va_list list;
    va_start(list, count);
    pthread_mutex_lock(&mutex);
    total += sum_of_list(count, list);
    pthread_mutex_unlock(&mutex);
    va_end(list);
}

static void *adds(void *argument)
{
    add(2, 1, 2);
    return argument;
}

int main(void)
{
    int set = 0, (*function)(int, ...) = sum;
    char small = 4;
    float half = 2.5f;
    struct point one = {1, 2, 3};
    pthread_t thread;
    pthread_create(&thread, 0, adds, 0);
    assert(read_all("ilidps", 1, 2L, small, half, &set, one) == 12 && set == 7);
    assert(sum(3, 1, 2, 5) == 35 && function(2, 4, 6) == 46);
    assert(first_that_is_not_empty("", "", "b", NULL)[0] == 'b');
    one = make(2, 8, 9);
    assert(one.x == 8 && one.y == 9);
    add(1, 3);
    pthread_join(thread, 0);
#ifdef WRONG
    assert(total == 5);
#endif
    assert(total == 6);
    return 0;
}
