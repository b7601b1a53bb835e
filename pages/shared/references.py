"""The literature that the reference page cites. Titles and names stay in their own language."""

from dataclasses import dataclass

YEAR = 2026


@dataclass(frozen=True)
class Work:
    """One publication. ``about`` in the catalogue says what it is cited for; `url` is empty where there is none."""

    id: str
    authors: str
    title: str
    where: str
    arxiv: str = ""
    doi: str = ""

    @property
    def url(self) -> str:
        if self.arxiv:
            return f"https://arxiv.org/abs/{self.arxiv}"
        return f"https://doi.org/{self.doi}" if self.doi else ""

    @property
    def link_text(self) -> str:
        return f"arXiv {self.arxiv}" if self.arxiv else f"doi {self.doi}"


WORKS = (
    Work(
        "paper",
        "X. Li, Y. Liang, Z. Shi, Z. Song, S. Yue, J. Zhang",
        "On Fine-Grained I/O Complexity of Attention Backward Passes",
        "2024, revised 2026",
        "2410.09397",
    ),
    Work("forward", "B. Saha, C. Ye", "I/O Complexity of Attention, or How Optimal is FlashAttention?", "ICML 2024",
         "2402.07443"),
    Work("fa1", "T. Dao, D. Y. Fu, S. Ermon, A. Rudra, C. Ré",
         "FlashAttention: Fast and Memory-Efficient Exact Attention with IO-Awareness", "NeurIPS 2022", "2205.14135"),
    Work("fa2", "T. Dao", "FlashAttention-2: Faster Attention with Better Parallelism and Work Partitioning", "2023",
         "2307.08691"),
    Work("weights", "J. Alman, Z. Song",
         "The Fine-Grained Complexity of Gradient Computation for Training Large Language Models", "NeurIPS 2024",
         "2402.04497"),
    Work("game", "J.-W. Hong, H. T. Kung", "I/O Complexity: The Red-Blue Pebble Game", "STOC 1981",
         doi="10.1145/800076.802486"),
    Work("cosma", "G. Kwasniewski, M. Kabić, M. Besta, J. VandeVondele, R. Solcà, T. Hoefler",
         "Red-Blue Pebbling Revisited: Near Optimal Parallel Matrix-Matrix Multiplication", "SC 2019", "1908.09606"),
    Work("smith", "T. M. Smith, B. Lowery, J. Langou, R. A. van de Geijn",
         "A Tight I/O Lower Bound for Matrix Multiplication", "2017", "1702.02017"),
    Work("lw", "L. H. Loomis, H. Whitney", "An Inequality Related to the Isoperimetric Inequality",
         "Bulletin of the AMS, 1949"),
    Work("itt", "D. Irony, S. Toledo, A. Tiskin",
         "Communication Lower Bounds for Distributed-Memory Matrix Multiplication", "JPDC 2004"),
    Work("wavefront", "V. Elango, F. Rastello, L.-N. Pouchet, J. Ramanujam, P. Sadayappan",
         "On Characterizing the Data Movement Complexity of Computational DAGs for Parallel Execution", "SPAA 2014"),
    Work("spectral", "S. Jain, M. Zaharia", "Spectral Lower Bounds on the I/O Complexity of Computation Graphs",
         "SPAA 2020", "1909.09791"),
    Work("approximate", "P. A. Papp, A. Sobczyk, A. Zouzias", "Approaching I/O-optimality for Approximate Attention",
         "2026", "2605.23751"),
)  # fmt: skip

PAPER_BIBTEX = """
@misc{li2024attentionio,
  title         = {On Fine-Grained {I/O} Complexity of Attention Backward Passes},
  author        = {Li, Xiaoyu and Liang, Yingyu and Shi, Zhenmei and Song, Zhao and Yue, Song and Zhang, Jiahao},
  year          = {2024},
  eprint        = {2410.09397},
  archivePrefix = {arXiv},
  primaryClass  = {cs.LG}
}
"""

APP_BIBTEX = f"""
@misc{{pebblingattention,
  title = {{Pebbling Attention: the {{I/O}} complexity of attention's backward pass, played and counted}},
  year  = {{{YEAR}}},
  note  = {{Interactive web application and Python package, Apache-2.0}}
}}
"""
