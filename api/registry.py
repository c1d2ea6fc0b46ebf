"""Every tool and action there is. What is not listed here cannot be called, and the tests sweep over this list."""

from typing import Any

from pydantic import RootModel
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


def schema_of(action: type[Action]) -> dict[str, Any]:
    """The JSON Schema of an action's arguments, good enough to hand to a model."""
    made = action.Arguments.model_json_schema(by_alias=True, schema_generator=_Untitled)
    made.pop("title", None)
    return made


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
            **({"effect": actions[None].effect, "input_schema": schema_of(actions[None])} if None in actions else {}),
        }
        for tool, actions in TOOLS.items()
    ]


def description_of(action: type[Action]) -> str:
    """What an action does, in a sentence or two."""
    return " ".join((action.__doc__ or "").split())


def body_of(tool: str) -> type:
    """The union of a tool's argument models, for the OpenAPI document."""
    models = tuple(action.Arguments for action in TOOLS[tool].values())
    if len(models) == 1:
        return models[0]
    union: Any = models[0]
    for model in models[1:]:
        union = union | model
    name = "".join(part.title() for part in tool.split("_")) + "Call"
    return type(name, (RootModel[union],), {"__module__": __name__, "__doc__": DESCRIPTIONS.get(tool)})
