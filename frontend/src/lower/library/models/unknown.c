/* What a function may do of which nothing is known but its arguments. */

typedef unsigned long size_t;

/* Any contents, as the rules of SV-COMP have it. */
void __VERIFIER_nondet_memory(void *object, size_t size)
{
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)object)[i] = __VERIFIER_nondet_uchar();
}

/* Writes any bytes to the object behind one of the pointers. */
void __sapa_write_any(void *const *pointers, size_t count)
{
    while (__VERIFIER_nondet_bool()) {
        size_t which = __VERIFIER_nondet_ulong();
        __CPROVER_assume(which < count);
        ((char *)pointers[which])[__VERIFIER_nondet_int()] = __VERIFIER_nondet_char();
    }
}

/* The same, where there may be pointers in the objects: it goes on to what they lead to, in two ways
   at once, so that what is found on one may be stored on the other. */
void __sapa_write_any_reached(void *const *pointers, size_t count)
{
    char *here = 0, *there = 0;
    while (__VERIFIER_nondet_bool()) {
        char *before = here;
        size_t which = __VERIFIER_nondet_ulong();
        switch (__VERIFIER_nondet_uchar()) {
        case 0:
            __CPROVER_assume(which < count);
            here = pointers[which];
            break;
        case 1:
            here += __VERIFIER_nondet_int();
            break;
        case 2:
            here = *(char **)here;
            break;
        case 3:
            here = there;
            there = before;
            break;
        case 4:
            *(char **)here = there;
            break;
        default:
            *here = __VERIFIER_nondet_char();
        }
    }
}
