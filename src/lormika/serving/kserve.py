"""KServe's v1 protocol: instances in, predictions or explanations out."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lormika.errors import InputError, ModelError
from lormika.frames.instances import Instances
from lormika.serving.api import to_json
from lormika.serving.bodies import read_json
from lormika.serving.faults import Fault, large, unknown
from lormika.serving.questions import Asked, read_search
from lormika.serving.service import Service
from lormika.serving.work import Job
from lormika.stages.joining import groups, joined
from lormika.types import JsonObject, JsonValue


class Protocol:
    """Handlers of requests under `/v1/models`."""

    def __init__(self, service: Service) -> None:
        self._service, self._limits = service, service.limits

    def routes(self) -> list[Route]:
        """All of them."""
        return [
            Route("/v1/models", self.models),
            Route("/v1/models/{name}", self.model),
            Route("/v1/models/{name}:predict", self.predict, methods=["POST"]),
            Route("/v1/models/{name}:explain", self.explain, methods=["POST"]),
        ]

    async def models(self, request: Request) -> Response:
        """Name the model."""
        return to_json({"models": [self._service.about.name]})

    async def model(self, request: Request) -> Response:
        """Say that the model is ready."""
        return to_json({"name": self._check_name(request), "ready": True})

    async def predict(self, request: Request) -> Response:
        """Label of each instance; with `parameters: {"probabilities": true}`, the probability of each class besides."""
        self._check_name(request)
        body = await self._body(request)
        cases = self._cases(body, self._limits.instances)
        wants = bool((body.get("parameters") or {}).get("probabilities", False))
        return await self._answer(partial(self._predict, cases, wants))

    async def explain(self, request: Request) -> Response:
        """Explanation of each instance; `parameters` are the options of a search."""
        self._check_name(request)
        body = await self._body(request)
        cases = self._cases(body, self._limits.explained)
        search = read_search({"options": body.get("parameters")})
        self._service.explainer.check(**search.options)

        def work() -> JsonObject:
            return {"explanations": [self._explain(number, case, search.options) for number, case in enumerate(cases)]}

        return await self._answer(work)

    def _explain(self, number: int, case: Asked, options: JsonObject) -> JsonObject:
        service = self._service
        try:
            return service.explain_plainly(case, options).to_dict()
        except (InputError, ModelError) as error:
            raise type(error)(f"instance {number}: {error}") from error

    def _predict(self, cases: list[Asked], probabilities: bool) -> JsonObject:
        model, schema = self._service.parts.model, self._service.parts.schema
        labels: list[JsonValue] = [None] * len(cases)
        chances: list[JsonValue] = [None] * len(cases)
        unseen = {number: case.instances.unseen[0] for number, case in enumerate(cases)}
        for numbers in groups(schema, unseen):
            together: list[Instances] = [cases[number].instances for number in numbers]
            wide, parts = joined(schema, [one.rows for one in together], [one.unseen[0] for one in together])
            answer = model(wide.restore(np.concatenate(parts)))
            for place, number in enumerate(numbers):
                labels[number] = model.names[int(answer.labels[place])]
                chances[number] = None if answer.probabilities is None else answer.probabilities[place].tolist()
        more: JsonObject = {"probabilities": chances, "classes": list(model.names)} if probabilities else {}
        return {"predictions": labels} | more

    def _check_name(self, request: Request) -> str:
        if request.path_params["name"] != self._service.about.name:
            raise unknown(f"there is no such model; there is {self._service.about.name!r}")
        return self._service.about.name

    async def _body(self, request: Request) -> JsonObject:
        body = await read_json(request, self._limits)
        if not isinstance(body, dict) or not isinstance(body.get("parameters", {}), dict | None):
            raise InputError('give an object such as {"instances": [{"age": 41}]}')
        return body

    def _cases(self, body: JsonObject, most: int) -> list[Asked]:
        instances, schema = body.get("instances"), self._service.parts.schema
        if not isinstance(instances, list) or not instances:
            raise InputError('instances: give a list, such as {"instances": [{"age": 41}]}')
        if len(instances) > most:
            raise large(f"{len(instances):,} instances: give at most {most:,} at a time")
        cases = []
        for number, values in enumerate(instances):
            try:
                if not isinstance(values, dict | list):
                    raise InputError("give an object by the names of the features, or a list in their order")
                read = schema.read_instance(values)
            except InputError as error:
                raise InputError(f"instance {number}: {str(error).replace(', row 0:', ':', 1)}") from None
            decoded = schema.with_unseen(read.unseen[0]).decode(read.rows[0])
            cases.append(Asked(None, decoded, {}, read))
        return cases

    async def _answer(self, work: Callable[[], JsonObject]) -> Response:
        desk = self._service.desk
        result = await desk.wait(desk.begin(work), self._limits.seconds + 1)
        if isinstance(result, Job):
            result.stop()
            raise Fault(504, "late", f"there was no answer within {self._limits.seconds:g} s")
        return to_json(result)
