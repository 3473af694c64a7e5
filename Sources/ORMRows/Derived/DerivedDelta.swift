internal import FoundationEssentials
internal import ORMStorage

/// The change that a write made to one derived attribute of one owner.
enum DerivedDelta {
  /// The number of added targets less that of removed ones.
  case count(Int64)
  /// The exact sum of the values added minus those removed.
  ///
  /// No series of 64-bit integers that can occur overflows it.
  case integers(Int128)
  /// The same of decimals.
  case decimals(Aggregator)
  /// The best value that came and the best that went; null for none.
  case extreme(isMinimum: Bool, came: StoredValue, went: StoredValue)
  /// No difference is known, or no longer: true if the value must be computed from the targets.
  case again(Bool)

  /// Makes the delta of an attribute without a change.
  init(of attribute: DerivedAttribute) {
    switch (attribute.value.aggregate, attribute.type.kind) {
    case (.count, _): self = .count(0)
    case (.sum, .int), (.sum, .unsigned): self = .integers(0)
    case (.sum, .decimal): self = .decimals(Aggregator(.sum, of: .decimal))
    case (.minimum, _): self = .extreme(isMinimum: true, came: .null, went: .null)
    case (.maximum, _): self = .extreme(isMinimum: false, came: .null, went: .null)
    // A sum of doubles is rounded once (clause 4.1), so the next sum cannot be computed from a
    // difference.
    case (.sum, _), (.average, _): self = .again(false)
    }
  }

  /// A target came, or went, with this value.
  mutating func note(_ value: StoredValue, came: Bool) {
    if case .count(let count) = self {
      self = .count(count + (came ? 1 : -1))
      return
    }
    if value.isNull { return }
    switch (self, value) {
    case (.integers(let sum), _):
      guard let wide = value.wideInteger else {
        self = .again(true)
        return
      }
      self = .integers(came ? sum + wide : sum - wide)
    case (.decimals(var sum), .decimal(let value)):
      sum.add(.decimal(came ? value : -value))
      self = .decimals(sum)
    case (.extreme(let isMinimum, let best, let removed), _):
      self = .extreme(
        isMinimum: isMinimum, came: came ? Self.best(best, value, isMinimum) : best,
        went: came ? removed : Self.best(removed, value, isMinimum))
    default: self = .again(true)
    }
  }

  /// True if nothing came of it.
  var isNothing: Bool {
    switch self {
    case .count(let count): count == 0
    case .integers(let sum): sum == 0
    case .decimals(let sum): (try? sum.result()) == .decimal(0)
    case .extreme(_, let came, let went): came.isNull && went.isNull
    case .again(let isNeeded): !isNeeded
    }
  }

  /// The difference as a 64-bit integer, where it is one.
  var small: Int64? {
    switch self {
    case .count(let count): count
    case .integers(let sum): Int64(exactly: sum)
    default: nil
    }
  }

  /// Returns the attribute's new value; nil if it must be computed again from the owner's targets.
  ///
  /// - Throws: `overflow`, without the names.
  func applied(to known: StoredValue, _ type: AttributeType) throws -> StoredValue? {
    switch self {
    case .count(let count):
      guard case .int(let known) = known else { return nil }
      return .int(known + count)
    case .integers(let sum):
      guard let known = known.wideInteger else { return nil }
      return try Self.integer(known + sum, type)
    case .decimals(var sum):
      sum.add(known)
      return try sum.result()
    case .extreme(let isMinimum, let came, let went):
      if !went.isNull, !Self.isBetter(known, went, isMinimum) {
        // If the removed value may be the best, the new one must be better; else the targets are read.
        guard !came.isNull, Self.isBetter(came, went, isMinimum) else { return nil }
      }
      return Self.best(known, came, isMinimum).withPositiveZeros
    case .again(let isNeeded): return isNeeded ? nil : known
    }
  }

  private static func integer(_ sum: Int128, _ type: AttributeType) throws -> StoredValue {
    if type.kind == .unsigned, let value = UInt64(exactly: sum) { return .unsigned(value) }
    if type.kind == .int, let value = Int64(exactly: sum) { return .int(value) }
    throw StoreError(.overflow, "the sum over the targets overflows the attribute's type")
  }

  /// Returns whether one value is before another in the order that counts; null is behind all.
  private static func isBetter(_ a: StoredValue, _ b: StoredValue, _ isMinimum: Bool) -> Bool {
    if a.isNull { return false }
    if b.isNull { return true }
    let order = StoredValue.order(a, b)
    return isMinimum ? order < 0 : order > 0
  }

  private static func best(
    _ a: StoredValue, _ b: StoredValue, _ isMinimum: Bool
  ) -> StoredValue {
    isBetter(b, a, isMinimum) ? b : a
  }
}

extension StoredValue {
  /// The value as an integer of any size.
  fileprivate var wideInteger: Int128? {
    switch self {
    case .int(let value): Int128(value)
    case .uint(let value): Int128(value)
    default: nil
    }
  }
}

/// The changes that a write made to the derived attributes of a to-many's owners.
struct DerivedOwners {
  private(set) var keys: [[StoredValue]] = []
  private var deltas: [[DerivedDelta]] = []
  private var numbers: [GroupKey: Int] = [:]

  /// A target came or went; `values` are those of the attributes' sources.
  mutating func note(
    _ values: [StoredValue], came: Bool, owner: [StoredValue], _ link: DerivedLink
  ) {
    guard let number = number(of: owner, link) else { return }
    for index in deltas[number].indices { deltas[number][index].note(values[index], came: came) }
  }

  /// The sources of a target that stays changed.
  mutating func noteChange(
    _ old: [StoredValue], _ new: [StoredValue], owner: [StoredValue], _ link: DerivedLink
  ) {
    guard let number = number(of: owner, link) else { return }
    for index in deltas[number].indices where !old[index].isIdentical(to: new[index]) {
      deltas[number][index].note(old[index], came: false)
      deltas[number][index].note(new[index], came: true)
    }
  }

  /// The number of an owner; nil for a key that is none.
  private mutating func number(of owner: [StoredValue], _ link: DerivedLink) -> Int? {
    if owner.contains(where: \.isNull) { return nil }
    let key = GroupKey(owner)
    // Rows of one owner mostly follow each other.
    if let last = keys.indices.last, GroupKey(keys[last]) == key { return last }
    if let known = numbers[key] { return known }
    numbers[key] = keys.count
    keys.append(owner)
    deltas.append(link.attributes.map { DerivedDelta(of: $0) })
    return keys.count - 1
  }

  /// The owners with a change, each with the differences of its derived attributes.
  var changed: [(key: [StoredValue], deltas: [DerivedDelta])] {
    zip(keys, deltas).filter { !$0.1.allSatisfy(\.isNothing) }.map { ($0, $1) }
  }
}
