/* plummer.c - Aarseth, Henon and Wielen, "A comparison of numerical methods for the study of star
 * cluster dynamics" (1974): radius from the inverted mass profile, cut at 99.9 % of the mass, speed
 * by rejection from g(q) = q^2 (1 - q^2)^(7/2), both in random directions.
 */
#include "plummer.h"

#include <math.h>

#include "../random.h"

#define PI 3.14159265358979323846

/* Each body draws from its own sequence. */
struct draws {
    uint64_t seed, next;
};

static double draw(struct draws *d)
{
    return random_uniform(d->seed, d->next++);
}

static void direction(struct draws *d, double length, double out[3])
{
    const double z = 2 * draw(d) - 1, turn = 2 * PI * draw(d), flat = sqrt(1 - z * z);
    out[0] = length * flat * cos(turn);
    out[1] = length * flat * sin(turn);
    out[2] = length * z;
}

static double speed_of_escape(struct draws *d)
{
    double q, g;
    do {
        q = draw(d);
        g = 0.1 * draw(d); /* above the maximum of g, 0.0922 */
    } while (g > q * q * pow(1 - q * q, 3.5));
    return q;
}

static void one_body(struct draws *d, double position[3], double velocity[3])
{
    const double scale = 3 * PI / 16;
    const double mass = 0.999 * (1 - draw(d)); /* in (0, 0.999] */
    const double r = 1 / sqrt(pow(mass, -2.0 / 3) - 1);
    direction(d, scale * r, position);
    direction(d, speed_of_escape(d) * sqrt(2.0) * pow(1 + r * r, -0.25) / sqrt(scale), velocity);
}

void plummer_fill(uint64_t seed, int64_t bodies, body_t *position, vector_t *velocity)
{
    double centre[6] = { 0 };
    int64_t i;
    int k;
    for (i = 0; i < bodies; i++) {
        struct draws d = { .seed = random_bits(seed, (uint64_t)i) };
        double p[3], v[3];
        one_body(&d, p, v);
        position[i] =
            (body_t){ (float)p[0], (float)p[1], (float)p[2], (float)(1.0 / (double)bodies) };
        velocity[i] = (vector_t){ (float)v[0], (float)v[1], (float)v[2], 0 };
        for (k = 0; k < 3; k++) {
            centre[k] += p[k];
            centre[k + 3] += v[k];
        }
    }
    for (k = 0; k < 6; k++)
        centre[k] /= (double)bodies;
    for (i = 0; i < bodies; i++) {
        position[i].x -= (float)centre[0];
        position[i].y -= (float)centre[1];
        position[i].z -= (float)centre[2];
        velocity[i].x -= (float)centre[3];
        velocity[i].y -= (float)centre[4];
        velocity[i].z -= (float)centre[5];
    }
}
