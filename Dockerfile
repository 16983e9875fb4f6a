# pksk serve in a container: docs/server.md says how to use it.
FROM python:3.13-slim AS build
COPY . /source
RUN python -m venv /opt/pksk && /opt/pksk/bin/pip install --no-cache-dir '/source[cli,server,vectors]'

FROM python:3.13-slim
COPY --from=build /opt/pksk /opt/pksk
RUN useradd --system --uid 10001 pksk && mkdir /data && chown pksk /data
USER pksk
VOLUME /data
EXPOSE 8000
# It listens to other machines, and so does not start without PKSK_ACCESS_KEY_ID and PKSK_SECRET_ACCESS_KEY.
HEALTHCHECK --interval=10s --timeout=3s --start-period=5s \
    CMD ["/opt/pksk/bin/python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/health', timeout=2)"]
ENTRYPOINT ["/opt/pksk/bin/pksk", "serve", "--host", "0.0.0.0", "--port", "8000"]
CMD ["--data", "/data/tables.db"]
