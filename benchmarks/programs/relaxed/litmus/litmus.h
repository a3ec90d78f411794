/* Accesses of litmus tests, each with a number. Bit n of a mask says what the access, or the place, of number n is:
 *
 *     -DRELEASE_STORES=MASK, -DSEQ_CST_STORES=MASK, -DEXCHANGES=MASK   a store that is one of release, a sequentially
 *                                                                     consistent one, an atomic exchange
 *     -DACQUIRE_LOADS=MASK, -DADDITIONS=MASK                           a load of acquire, an atomic addition of 0
 *     -DFULL_FENCES=MASK, -DSTORE_FENCES=MASK                          a full fence, one that keeps stores in order
 *
 * Without these, accesses are plain and there are no fences. */
#ifndef RELEASE_STORES
#define RELEASE_STORES 0
#endif
#ifndef SEQ_CST_STORES
#define SEQ_CST_STORES 0
#endif
#ifndef EXCHANGES
#define EXCHANGES 0
#endif
#ifndef ACQUIRE_LOADS
#define ACQUIRE_LOADS 0
#endif
#ifndef ADDITIONS
#define ADDITIONS 0
#endif
#ifndef FULL_FENCES
#define FULL_FENCES 0
#endif
#ifndef STORE_FENCES
#define STORE_FENCES 0
#endif

#define HAS(mask, n) ((mask) >> (n) & 1)

#define STORE(n, object, value)                                                                                        \
    do {                                                                                                               \
        if (HAS(EXCHANGES, n))                                                                                         \
            __atomic_exchange_n(&(object), value, __ATOMIC_SEQ_CST);                                                   \
        else if (HAS(SEQ_CST_STORES, n))                                                                               \
            __atomic_store_n(&(object), value, __ATOMIC_SEQ_CST);                                                      \
        else if (HAS(RELEASE_STORES, n))                                                                               \
            __atomic_store_n(&(object), value, __ATOMIC_RELEASE);                                                      \
        else                                                                                                           \
            object = value;                                                                                            \
    } while (0)

#define LOAD(n, result, object)                                                                                        \
    do {                                                                                                               \
        if (HAS(ADDITIONS, n))                                                                                         \
            result = __atomic_fetch_add(&(object), 0, __ATOMIC_SEQ_CST);                                               \
        else if (HAS(ACQUIRE_LOADS, n))                                                                                \
            result = __atomic_load_n(&(object), __ATOMIC_ACQUIRE);                                                     \
        else                                                                                                           \
            result = object;                                                                                           \
    } while (0)

#define FENCE(n)                                                                                                       \
    do {                                                                                                               \
        if (HAS(FULL_FENCES, n))                                                                                       \
            __sync_synchronize();                                                                                      \
        if (HAS(STORE_FENCES, n))                                                                                      \
            __atomic_thread_fence(__ATOMIC_RELEASE);                                                                   \
    } while (0)
