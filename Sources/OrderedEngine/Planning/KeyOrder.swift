internal import ORMStorage

/// The order in which a key or index gives rows, and whether it is the one asked for.
struct KeyOrder {
  private let terms: [KeyTerm]
  private let pinned: Int
  private let others: [KeyTerm]
  private let entity: EntityStorage
  /// True if the conditions on the first term that is not pinned leave no null.
  private let isFirstPresent: Bool

  /// The match of an order with a key's, and the direction in which the key must be read.
  enum Match {
    case no, forwards, reversed
  }

  /// The order of terms, of which the first `pinned` and those among `others` have one value each,
  /// and the next the ranges.
  init(
    _ terms: [KeyTerm], pinned: Int = 0, others: [KeyTerm] = [], ranges: [TermConstraint] = [],
    _ entity: EntityStorage
  ) {
    self.terms = terms
    self.pinned = pinned
    self.others = others
    self.entity = entity
    isFirstPresent = ranges.contains { $0.excludesNull }
  }

  /// Returns the match of an order with the key's; an empty one is the primary key's, ascending.
  func match(_ sort: [SortTerm], isUnordered: Bool) -> Match {
    if isUnordered { return .forwards }
    var wanted = sort
    if wanted.isEmpty {
      wanted = entity.declared.key.map {
        SortTerm(.attribute(entity.declared.columns[$0].attribute))
      }
    }
    var match: Match?
    /// Forms of columns that have one value, or come before: further mention changes nothing.
    var settled = Set((terms.prefix(pinned) + others).map(Seen.init))
    var position = pinned
    for term in wanted {
      guard let seen = Seen(term, entity) else { return .no }
      if settled.contains(where: { $0.settles(seen) }) { continue }
      if isKeySettled(settled) { break }
      while position < terms.count, settled.contains(where: { $0.settles(Seen(terms[position])) }) {
        position += 1
      }
      guard position < terms.count, Seen(terms[position]) == seen else { return .no }
      guard isNilPlaced(term, terms[position], isFirst: position == pinned) else { return .no }
      let direction: Match =
        term.isDescending == terms[position].isDescending ? .forwards : .reversed
      if let match, match != direction { return .no }
      match = direction
      settled.insert(seen)
      position += 1
    }
    return match ?? .forwards
  }

  /// Returns whether every column of the primary key is settled, so that no two rows are left to
  /// order.
  private func isKeySettled(_ settled: Set<Seen>) -> Bool {
    entity.key.terms.allSatisfy { settled.contains(Seen($0)) }
  }

  /// Returns whether nil stands where the key has it: first ascending, last descending.
  private func isNilPlaced(_ term: SortTerm, _ key: KeyTerm, isFirst: Bool) -> Bool {
    !key.isTagged || term.nilsComeFirst == !term.isDescending || (isFirst && isFirstPresent)
  }

  /// A column in one form.
  private struct Seen: Hashable {
    var column: Int
    var form: StoredIndex.Form

    init(_ term: KeyTerm) {
      column = Int(term.field.column)
      form = term.form
    }

    init?(_ term: SortTerm, _ entity: EntityStorage) {
      guard let column = TermConstraint.column(term.operand, entity),
        let form = TermConstraint.form(term.options)
      else { return nil }
      self.column = column
      self.form = form
    }

    /// Returns whether an order settled in this form is settled in the other: one of values is, folded.
    func settles(_ other: Seen) -> Bool {
      column == other.column && (form == other.form || form == .value)
    }
  }
}
