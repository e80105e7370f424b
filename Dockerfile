# tare in a container, for what a container may weigh. Build it beside the release:
#
#   cargo xtask dist
#   podman build -t tare -f Dockerfile target/dist
#   podman run --rm -v "$PWD:/campaigns" tare run --layers native --out first
#
# native and qemu need no flags. What more it may weigh depends on them: --tmpfs /dev/shm:exec,size=1g for uml, --privileged
# for runc and runsc, --device /dev/kvm for kvm. `podman run --rm tare doctor` says what runs.
ARG BASE=docker.io/library/debian:12-slim
FROM ${BASE}
ARG LAYERS="qemu-system-x86 linux-image-cloud-amd64 user-mode-linux runc iproute2"
COPY tare_*.deb /tmp/
RUN dpkg -i /tmp/tare_*.deb && rm /tmp/tare_*.deb
RUN if [ -n "$LAYERS" ]; then \
      apt-get update && apt-get install -y --no-install-recommends $LAYERS && rm -rf /var/lib/apt/lists/*; \
    fi
WORKDIR /campaigns
ENTRYPOINT ["tare"]
