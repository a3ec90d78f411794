// covers: arrays
// error: 'unknown': an array of unknown size is not supported
extern int unknown[];

int main(void)
{
    return unknown[0];
}
