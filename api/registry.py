"""Every tool and action there is. What is not listed here cannot be called, and the tests sweep over this list."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, RootModel
from pydantic.json_schema import GenerateJsonSchema

from api.actions import entities, find, gather, graph, property, record, timeline
from api.actions.base import Action

ACTIONS: list[type[Action]] = [
    *gather.ACTIONS,
    *graph.ACTIONS,
    *find.ACTIONS,
    *timeline.ACTIONS,
    *property.ACTIONS,
    *record.ACTIONS,
    *entities.ACTIONS,
]

TOOLS: dict[str, dict[str | None, type[Action]]] = {}
for _action in ACTIONS:
    TOOLS.setdefault(_action.tool, {})[_action.name] = _action

DESCRIPTIONS = {
    "e_gather": "Find records by the edge properties they carry: sets, walks, counts.",
    "e_timeline": "Find records by terms and put them in the order of their events.",
    "e_property": "Write and read the edge properties of records, and the connections between records.",
    "e_record": "Write, read, change and delete records.",
}


class _Untitled(GenerateJsonSchema):
    """Titles made of the names they stand beside tell a model nothing and cost it tokens."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def plain_schema(model: type[BaseModel]) -> dict[str, Any]:
    """A model's JSON Schema without titles."""
    made = model.model_json_schema(by_alias=True, schema_generator=_Untitled)
    made.pop("title", None)
    for one in (made, *made.get("$defs", {}).values()):
        for argument in one.get("properties", {}).values():
            _describe(argument)
    return made


def _describe(argument: dict[str, Any]) -> None:
    """An argument that may be left out is described where it stands, not inside the alternatives to null."""
    for choice in argument.get("anyOf", ()):
        if "description" in choice:
            described = choice.pop("description")
            argument.setdefault("description", described)


def schema_of(action: type[Action]) -> dict[str, Any]:
    """The JSON Schema of an action's arguments, good enough to hand to a model."""
    made = plain_schema(action.Arguments)
    if action.name is not None:
        made["properties"]["action"]["description"] = f"Always {action.name}."
    made["examples"] = [{**({"action": action.name} if action.name else {}), **one} for one in action.examples]
    return made


def schema_of_tool(tool: str) -> dict[str, Any]:
    """One schema for all actions of a tool, told apart by `action`."""
    made = [schema_of(action) for action in TOOLS[tool].values()]
    shared: dict[str, Any] = {}
    for schema in made:
        shared |= schema.pop("$defs", {})
    return {
        "type": "object",
        "required": ["action"],
        "properties": {"action": {"enum": list(TOOLS[tool]), "description": "What to do."}},
        "oneOf": [
            {"description": description_of(TOOLS[tool][schema["properties"]["action"]["const"]]), **schema}
            for schema in made
        ],
        **({"$defs": shared} if shared else {}),
    }


def described() -> list[dict[str, Any]]:
    """Every tool with its actions and their schemas."""
    return [
        {
            "name": tool,
            "description": DESCRIPTIONS.get(tool) or description_of(next(iter(actions.values()))),
            "actions": [
                {
                    "name": name,
                    "description": description_of(action),
                    "effect": action.effect,
                    "input_schema": schema_of(action),
                }
                for name, action in actions.items()
                if name is not None
            ],
            **(
                {"effect": actions[None].effect, "input_schema": schema_of(actions[None])}
                if None in actions
                else {"input_schema": schema_of_tool(tool)}
            ),
        }
        for tool, actions in TOOLS.items()
    ]


def description_of(action: type[Action]) -> str:
    """What an action does, in a sentence or two."""
    return " ".join((action.__doc__ or "").split())


def body_of(tool: str) -> type:
    """The union of a tool's argument models, for the OpenAPI document."""
    return _union(tool, [action.Arguments for action in TOOLS[tool].values()], "Call")


def reply_of(tool: str) -> type:
    """The union of what a tool's actions answer, for the OpenAPI document."""
    return _union(tool, [action.Reply for action in TOOLS[tool].values()], "Reply")


def _union(tool: str, models: Sequence[type[BaseModel]], kind: str) -> type:
    if len(models) == 1:
        return models[0]
    union: Any = models[0]
    for model in models[1:]:
        union = union | model
    name = "".join(part.title() for part in tool.split("_")) + kind
    return type(name, (RootModel[union],), {"__module__": __name__, "__doc__": DESCRIPTIONS.get(tool)})
