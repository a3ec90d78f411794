// precise: SUCCESSFUL --property pointers
int main(int argc, char **argv)
{
    return argc > 2 ? argv[2][0] : 0;
}
