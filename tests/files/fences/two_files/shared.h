#include <pthread.h>

extern int x, y, a, b;

void *second(void *arg);
