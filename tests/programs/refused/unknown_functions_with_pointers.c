// covers: extern-functions
// error: is not defined, is not known, and takes a pointer

int unknown(int *);

int main(void)
{
    int x;
    return unknown(&x);
}
