// precise: FAILED --property overflow -DSIGN
// precise: FAILED --property overflow -DNEGATIVE
// precise: FAILED --property overflow -DBYTE
// precise: FAILED --property overflow -DBOTH
// precise: FAILED --property overflow -DASSIGNED
// precise: FAILED --property overflow -DLONG
// precise: SUCCESSFUL --property overflow -DSAFE
// What is shifted to the left must not be negative, and its value has to fit (C11 6.5.7p4).
int __VERIFIER_nondet_int(void);
unsigned char __VERIFIER_nondet_uchar(void);

int main(void)
{
    int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
    unsigned char byte = __VERIFIER_nondet_uchar();
#ifdef SIGN
    return 1 << (y & 31);
#elif defined NEGATIVE
    return x < 0 && x > -9 ? x << 1 : 0;
#elif defined BYTE
    return byte << 24;
#elif defined BOTH
    return x > 0 && x < 100 && y > 0 && y < 26 ? x << y : 0;
#elif defined ASSIGNED
    if (x < 0 || x > 0x40000000)
        return 0;
    x <<= 1;
    return x;
#elif defined LONG
    return (long)byte << 56 == 0;
#elif defined SAFE
    unsigned all = 1u << 31;
    short half = 1;
    half <<= 14;
    if (x >= 0 && x < 100 && y >= 0 && y < 25)
        all += x << y;
    return (byte << 23) + (1 << (y & 15)) + half + (all != 0) + (0 << y % 8 & 1);
#endif
}
