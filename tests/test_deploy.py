"""The files in `deploy/` agree with the published schemas, each other and the program."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
import yaml

from floorline.cli.main import app

pytest.importorskip("starlette", reason="the extra [service] is not installed")

from typer import Context
from typer.main import get_command

from floorline.service.api.routes import OPERATIONS

KUBERNETES = "1.37"
DEPLOY = Path(__file__).parents[1] / "deploy"


def text(name: str) -> str:
    return (DEPLOY / name).read_text()


@pytest.fixture(scope="module")
def compose() -> Any:
    return yaml.safe_load(text("compose.yaml"))


@pytest.fixture(scope="module")
def pod() -> Any:
    """What a pod of the deployment consists of."""
    deployment, service = yaml.safe_load_all(text("kubernetes.yaml"))
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"] == labels == service["spec"]["selector"]
    return deployment["spec"]["template"]["spec"]


def test_the_compose_file_fits_the_compose_specification(compose: Any) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    folder = resources.files(pytest.importorskip("check_jsonschema"))
    schema = json.loads((folder / "builtin_schemas/vendor/compose-spec.json").read_text())
    jsonschema.validate(compose, schema)
    wrong = {**compose, "services": {"server": {"immage": "floorline"}}}
    with pytest.raises(jsonschema.ValidationError, match="immage"):
        jsonschema.validate(wrong, schema)


def test_the_manifests_fit_the_schemas_of_kubernetes() -> None:
    kubernetes = pytest.importorskip("kubernetes_validate")
    manifests = list(yaml.safe_load_all(text("kubernetes.yaml")))
    for manifest in manifests:
        kubernetes.validate(manifest, KUBERNETES, strict=True)
    manifests[0]["spec"]["replica"] = 2
    with pytest.raises(kubernetes.ValidationError, match="replica"):
        kubernetes.validate(manifests[0], KUBERNETES, strict=True)


def test_services_of_the_compose_file_exist(compose: Any) -> None:
    services = compose["services"]
    for service in services.values():
        assert set(service.get("depends_on", ())) <= set(services)
    servers = {name for name, service in services.items() if "build" in service}
    assert set(re.findall(r"server (\S+) \1:8400", text("haproxy.cfg"))) == servers
    (job,) = yaml.safe_load(text("prometheus.yml"))["scrape_configs"]
    assert {f"{name}:8400" for name in servers} == set(job["static_configs"][0]["targets"])
    for name in servers:
        advertised = services[name]["environment"]["FLOORLINE_ADVERTISE"]
        assert advertised == f"http://{name}:8400"
        assert services[name]["environment"]["FLOORLINE_HOST"] == "0.0.0.0"


def test_files_of_the_compose_file_exist(compose: Any) -> None:
    """Except those with secrets, and the header says how to make these."""
    header = text("compose.yaml").partition("name: floorline")[0]
    mounted = []
    for service in compose["services"].values():
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            assert source in compose["volumes"] or source.startswith("./")
            mounted += [source] if source.startswith("./") else []
        mounted += [service["env_file"]] if "env_file" in service else []
    for name in {source.removeprefix("./") for source in mounted}:
        assert (DEPLOY / name).exists() or f"deploy/{name}" in header, name
    rules = yaml.safe_load(text("prometheus.yml"))["rule_files"]
    assert all((DEPLOY / rule).exists() for rule in rules)


def test_what_is_copied_into_the_image_exists() -> None:
    for sources in re.findall(r"^COPY (.+) \S+$", text("Containerfile"), re.MULTILINE):
        assert all((DEPLOY.parent / source).exists() for source in sources.split())


def test_the_environment_is_what_the_program_reads(compose: Any, pod: Any) -> None:
    group = get_command(app)
    serve = group.get_command(Context(group), "serve")  # type: ignore[attr-defined]
    known = {option.envvar for option in serve.params if option.envvar} | {"FLOORLINE_CACHE_DIR"}
    given = {name for name in re.findall(r"FLOORLINE_\w+", text("Containerfile"))}
    for service in compose["services"].values():
        given |= {name for name in service.get("environment", ()) if name.startswith("FLOOR")}
    for container in (*pod["initContainers"], *pod["containers"]):
        given |= {one["name"] for one in container["env"] if one["name"].startswith("FLOOR")}
    assert len(given) >= 4
    assert given <= known


def test_probes_ask_for_what_there_is(pod: Any) -> None:
    paths = {operation.path for operation in OPERATIONS}
    (container,) = pod["containers"]
    for probe in ("readinessProbe", "livenessProbe"):
        assert container[probe]["httpGet"]["path"] in paths
        assert container[probe]["httpGet"]["port"] == container["ports"][0]["containerPort"]
    for container in (*pod["initContainers"], *pod["containers"]):
        for variable in container["env"]:
            secret = variable.get("valueFrom", {}).get("secretKeyRef")
            if secret is not None:
                assert f"secret generic {secret['name']}" in text("kubernetes.yaml")
                assert f"--from-literal={secret['key']}=" in text("kubernetes.yaml")
