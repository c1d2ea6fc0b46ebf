"""One module a lane, each with its `RECORDS`, in the order things happened."""

from memory.demo.matters import (
    corbel_coverage,
    directory,
    fennwick_loggers,
    intake,
    kestrelgate_general,
    newark_lease,
    orvanto_fda,
    orvanto_norgaardsen,
    orvanto_supply,
    project_lantern,
)

MATTERS = {
    "newark-lease": newark_lease.RECORDS,
    "corbel-coverage": corbel_coverage.RECORDS,
    "fennwick-loggers": fennwick_loggers.RECORDS,
    "kestrelgate-general": kestrelgate_general.RECORDS,
    "orvanto-fda": orvanto_fda.RECORDS,
    "orvanto-norgaardsen": orvanto_norgaardsen.RECORDS,
    "orvanto-supply": orvanto_supply.RECORDS,
    "project-lantern": project_lantern.RECORDS,
    "intake": intake.RECORDS,
    "directory": directory.RECORDS,
}
