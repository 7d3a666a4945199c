/* contract_struct.h - the structs that program and kernels of the contract share. Also read by
 * device compilers: no includes, members of fixed width. */
#ifndef CONTRACT_STRUCT_H
#define CONTRACT_STRUCT_H

typedef struct contract_body {
    float x, y, z, mass;
} contract_body;

typedef struct contract_force {
    double time;
    float pull;
    int32_t steps;
} contract_force;

#endif
