//! A service in Python.

use super::{PLAIN, Service};

pub const SERVICE: Service = Service {
    name: "python",
    about: "aiohttp in Python: JSON of fifty numbers",
    packages: &["python3-aiohttp"],
    root_run: "echo 'from aiohttp import web; \
               answer = lambda: web.json_response({str(n): n * n for n in range(50)})\n\
               async def asked(request): return answer()\n\
               app = web.Application(); app.add_routes([web.get(\"/\", asked)])\n\
               web.run_app(app, host=\"0.0.0.0\", port=8080, access_log=None, print=None)' > /srv/served.py",
    url: "http://:8080/",
    rate: 200,
    command: "exec python3 /srv/served.py",
    ..PLAIN
};
