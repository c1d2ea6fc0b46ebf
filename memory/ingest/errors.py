"""What can go wrong in ingest, as far as the pipeline treats it differently."""


class Unavailable(RuntimeError):
    """Something a step needs (an endpoint, a model) does not answer: no record is at fault, try again later.

    The message is kept with the records and shown to whoever may read them; it never holds text or keys.
    """
