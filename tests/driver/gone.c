// SPDX-License-Identifier: MIT
// A library that is nowhere when the program starts, and the program.
int gone(void);

#ifdef IS_LIBRARY
int gone(void)
{
    return 0;
}
#else
int main(void)
{
    return gone();
}
#endif
