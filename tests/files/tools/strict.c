/* What strict C90 preprocesses to something else than GNU C does; options_of_a_build_line.c reads it. */
void __CPROVER_assert(int, const char *);

int main(void)
{
#ifdef linux
    __CPROVER_assert(0, "strict C has no macro of this name");
#endif
    return 0;
}
