/* Places for fences. Behind every shared store of a program stands FENCE(n), each with a number of its own: a full
 * fence if bit n of FENCES is set, and else nothing. Without -DFENCES=MASK there is a fence at each place. */
#ifndef FENCES
#define FENCES 0xffffffff
#endif

#define FENCE(n)                                                                                                       \
    do {                                                                                                               \
        if ((FENCES) >> (n) & 1u)                                                                                      \
            __sync_synchronize();                                                                                      \
    } while (0)
