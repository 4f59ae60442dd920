"""A small query pipeline and its indexing pipeline as YAML, with Haystack's own keyless components."""

INDEXING = """
components:
  splitter:
    type: haystack.components.preprocessors.document_splitter.DocumentSplitter
    init_parameters: {split_by: word, split_length: 6, split_overlap: 0}
  writer:
    type: haystack.components.writers.document_writer.DocumentWriter
    init_parameters:
      policy: OVERWRITE
      document_store:
        type: haystack.document_stores.in_memory.document_store.InMemoryDocumentStore
        init_parameters: {index: passages}
connections:
  - {sender: splitter.documents, receiver: writer.documents}
"""
SEARCH = """
components:
  retriever:
    type: haystack.components.retrievers.in_memory.bm25_retriever.InMemoryBM25Retriever
    init_parameters:
      top_k: 2
      document_store:
        type: haystack.document_stores.in_memory.document_store.InMemoryDocumentStore
        init_parameters: {index: passages}
  prompt:
    type: haystack.components.builders.prompt_builder.PromptBuilder
    init_parameters:
      template: "{% for d in documents %}{{ d.content }}\\n{% endfor %}{{ query }} {{ style }}"
      required_variables: "*"
connections:
  - {sender: retriever.documents, receiver: prompt.documents}
"""
DOCUMENTS = [
    {"id": "tower", "text": "The tower was built in 1902. It is 48 metres high.", "town": "Orrin"},
    {"id": "mill", "text": "The mill grinds oats. It closed in 1950.", "town": "Dale"},
]
