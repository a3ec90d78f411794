# 1 "for_32_bits.c"
# 1 "types-of-32-bits.h" 1
typedef unsigned int size_t;
typedef unsigned long int pthread_t;
typedef union
{
  char __size[36];
  long int __align;
} pthread_attr_t;
typedef union
{
  struct __pthread_mutex_s
  {
    int __lock;
    unsigned int __count;
    int __owner;
    int __kind;
    unsigned int __nusers;
    __extension__ union
    {
      int __spins;
      void *__list;
    };
  } __data;
  char __size[24];
  long int __align;
} pthread_mutex_t;
extern int pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
extern void *malloc(size_t);
# 2 "for_32_bits.c" 2
extern void abort(void);
void reach_error(void) { }
pthread_mutex_t m = { { 0, 0, 0, 1, 0, { 0 } } };
unsigned long count;
void *locks_twice(void *argument)
{
  pthread_mutex_lock(&m);
  pthread_mutex_lock(&m);
  count += 2147483648UL;
  pthread_mutex_unlock(&m);
  pthread_mutex_unlock(&m);
  return 0;
}
int main(void)
{
  pthread_t t, u;
  pthread_create(&t, 0, locks_twice, 0);
  pthread_create(&u, 0, locks_twice, 0);
  pthread_join(t, 0);
  pthread_join(u, 0);
  if (count == 0)
  {
    reach_error();
    abort();
  }
  return 0;
}
