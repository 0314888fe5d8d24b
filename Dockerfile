# The engine is linked statically into the binary through cgo; the image needs
# the C++ runtime and certificates only.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN go build -trimpath -o /ontosql ./cmd/ontosql

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends ca-certificates libstdc++6 \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --system --uid 10001 --home-dir /var/lib/ontosql --create-home ontosql
COPY --from=build /ontosql /usr/local/bin/ontosql
USER ontosql
ENV ONTOSQL_CACHE_DIR=/var/lib/ontosql/cache ONTOSQL_WORKSPACE_DIR=/var/lib/ontosql/workspace
VOLUME /var/lib/ontosql
EXPOSE 5433
STOPSIGNAL SIGTERM
ENTRYPOINT ["ontosql"]
CMD ["--help"]
