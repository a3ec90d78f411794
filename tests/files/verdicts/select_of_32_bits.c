// precise: INCONCLUSIVE --data-model ILP32
// The words of a set have 32 bits here: a run in which the set is looked at goes on.
typedef struct { unsigned long bits[32]; } fd_set;
struct timeval { long seconds, microseconds; };
extern int select(int, fd_set *, fd_set *, fd_set *, struct timeval *);
extern void reach_error(void);

int main(void)
{
    fd_set set = {{0, 0x100}};
    struct timeval time = {0, 0};
    if (select(41, &set, 0, 0, &time) >= 0 && !(set.bits[1] & 0x100))
        reach_error();
    return 0;
}
