"""Steady supersonic flow of a perfect gas around a circular cylinder, from a spectral method that fits the shock.

An independent reference for the shock layer at the nose: no scheme is shared with Weft, and the shock is a boundary at which
the Rankine-Hugoniot conditions hold exactly. Lengths are in radii of the cylinder, velocities in speeds of sound of the
stream and pressures in pressures of the stream; theta is the angle at the centre from the axis that points upstream.

Unknown are density and velocity (u along the radius, v along theta) at points (xi, theta), xi = (r - 1) / (R - 1) from the
body to the shock r = R(theta), and R. The total enthalpy is that of the stream everywhere, which gives the pressure.
Continuity and the two momentum equations at all points, u = 0 on the body and v = 0 on the axis are satisfied in least
squares by Gauss-Newton iterations, with derivatives by collocation at Chebyshev points (even or odd in theta). At the end
of the points, where v is above the speed of sound, nothing is prescribed.
"""
import numpy

GAMMA = 1.4


def chebyshev(intervals, low, high):
    """Returns the points, their matrix of derivatives and their weights in barycentric interpolation."""
    k = numpy.arange(intervals + 1)
    x = 0.5 * (low + high) - 0.5 * (high - low) * numpy.cos(numpy.pi * k / intervals)
    weight = numpy.where((k == 0) | (k == intervals), 0.5, 1.0) * (-1.0) ** k
    distance = x[:, None] - x + numpy.eye(k.size)
    derivative = weight / weight[:, None] / distance
    derivative -= numpy.diag(derivative.sum(axis=1))
    return x, derivative, weight


def interpolation(at, x, weight):
    """Returns the matrix that takes values at the points x to values at others."""
    distance = at[:, None] - x
    distance[distance == 0] = 1e-300
    matrix = weight / distance
    return matrix / matrix.sum(axis=1)[:, None]


def pitot(mach):
    """Stagnation pressure behind a normal shock (Rayleigh)."""
    g = GAMMA
    return ((g + 1) ** 2 * mach**2 / (4 * g * mach**2 - 2 * (g - 1))) ** (g / (g - 1)) * (1 - g + 2 * g * mach**2) / (g + 1)


class BluntBody:
    """The solution at a Mach number of the stream, up to an angle."""

    def __init__(self, mach, radial=14, angular=12, degrees=75):
        self.mach, self.radial, self.angular, self.last = mach, radial, angular, numpy.radians(degrees)
        self.xi, self.along_xi, self.xi_weight = chebyshev(radial, 0, 1)
        # All angles from -last to last; unknown are those from 0 on.
        self.both, whole, self.both_weight = chebyshev(2 * angular, -self.last, self.last)
        self.theta = self.both[angular:]
        mirrored = numpy.hstack([numpy.zeros((angular + 1, 1)), whole[angular:, angular - 1::-1]])
        self.even, self.odd = whole[angular:, angular:] + mirrored, whole[angular:, angular:] - mirrored
        self.enthalpy = 1 / (GAMMA - 1) + mach**2 / 2
        self._solve()

    def behind_shock(self, shock):
        """Density and velocity behind a shock of this radius at each angle."""
        slope = self.even @ shock
        length = numpy.sqrt(shock**2 + slope**2)
        normal_r, normal_t = shock / length, -slope / length
        u, v = -self.mach * numpy.cos(self.theta), self.mach * numpy.sin(self.theta)
        normal = u * normal_r + v * normal_t
        density = (GAMMA + 1) * normal**2 / ((GAMMA - 1) * normal**2 + 2)
        change = normal / density - normal
        return density, u + change * normal_r, v + change * normal_t

    def pressure_of(self, density, u, v):
        return (GAMMA - 1) * density * (self.enthalpy - (u * u + v * v) / 2)

    def fields(self, unknown):
        """Returns density, u and v at all points, and the radius of the shock."""
        inner = self.radial * (self.angular + 1)
        shock = unknown[3 * inner:]
        values = [numpy.vstack([unknown[k * inner:(k + 1) * inner].reshape(self.radial, -1), at_shock])
                  for k, at_shock in enumerate(self.behind_shock(shock))]
        return (*values, shock)

    def residual(self, unknown):
        density, u, v, shock = self.fields(unknown)
        width = shock - 1
        r, moved = 1 + numpy.outer(self.xi, width), numpy.outer(self.xi, (self.even @ shock) / width)
        p = self.pressure_of(density, u, v) / GAMMA

        def along_r(f):
            return self.along_xi @ f / width

        def along_theta(f, derivative):  # at constant r
            return f @ derivative.T - moved * (self.along_xi @ f)

        continuity = along_r(density * u) + density * u / r + along_theta(density * v, self.odd) / r
        momentum_r = u * along_r(u) + v / r * along_theta(u, self.even) - v * v / r + along_r(p) / density
        momentum_t = u * along_r(v) + v / r * along_theta(v, self.odd) + u * v / r + along_theta(p, self.even) / (density * r)
        return numpy.concatenate([continuity.ravel(), momentum_r.ravel(), momentum_t.ravel(), 10 * u[0], 10 * v[:, 0]])

    def start(self):
        """Billig's shape of the shock, Newton's pressure on the body, and straight lines between them."""
        distance, radius = 0.386 * numpy.exp(4.67 / self.mach**2), 1.386 * numpy.exp(1.8 / (self.mach - 1) ** 0.75)
        slope = 1 / numpy.sqrt(self.mach**2 - 1)  # the shock's, far away
        low, high = numpy.ones(self.theta.size), numpy.full(self.theta.size, 100.0)
        for _ in range(60):
            r = (low + high) / 2
            x = 1 + distance - radius / slope**2 * (numpy.sqrt(1 + (r * numpy.sin(self.theta) * slope / radius) ** 2) - 1)
            outside = r * numpy.cos(self.theta) > x
            low, high = numpy.where(outside, low, r), numpy.where(outside, r, high)
        fraction = numpy.maximum(numpy.cos(self.theta) ** 2, 0.03)  # as a share of the stagnation pressure
        density = pitot(self.mach) / ((GAMMA - 1) * self.enthalpy) * fraction ** (1 / GAMMA)
        speed = numpy.sqrt(2 * self.enthalpy * (1 - fraction ** (1 - 1 / GAMMA)))
        xi = self.xi[:-1, None]
        inner = [body * (1 - xi) + shock * xi for body, shock in zip((density, 0 * speed, speed), self.behind_shock(low))]
        return numpy.concatenate([*(f.ravel() for f in inner), low])

    def _solve(self):
        unknown = self.start()
        for _ in range(30):
            # Derivatives by a complex step, exact to rounding.
            columns = [self.residual(unknown + 1e-30j * row).imag / 1e-30 for row in numpy.eye(unknown.size)]
            change = numpy.linalg.lstsq(numpy.array(columns).T, -self.residual(unknown), rcond=None)[0]
            unknown = unknown + change
            if numpy.abs(change).max() < 1e-8:
                break
        else:
            raise RuntimeError(f"no blunt body solution at Mach {self.mach}")
        self.density, self.u, self.v, self.shock = self.fields(unknown)
        self.pressure = self.pressure_of(self.density, self.u, self.v)
        if (self.v[:, -1] ** 2 <= self.pressure[:, -1] / self.density[:, -1]).any():
            raise ValueError(f"Mach {self.mach}: the flow is subsonic at the last angle")

    @property
    def distance(self):
        """Distance of the shock from the nose."""
        return self.shock[0] - 1

    def pressure_at(self, x, y):
        """Returns pressure and xi at points, the body being the unit circle at the origin and the stream along x."""
        theta, r = numpy.arctan2(numpy.abs(y), -x), numpy.hypot(x, y)
        in_theta = interpolation(theta, self.both, self.both_weight)
        both = numpy.concatenate([self.shock[:0:-1], self.shock])
        xi = (r - 1) / (in_theta @ both - 1)
        pressures = numpy.hstack([self.pressure[:, :0:-1], self.pressure])
        return numpy.einsum("ij,jk,ik->i", interpolation(xi, self.xi, self.xi_weight), pressures, in_theta), xi
