// precise: FAILED --property pointers
int main(int argc, char **argv)
{
    return argc > 1 ? argv[2][0] : 0;
}
