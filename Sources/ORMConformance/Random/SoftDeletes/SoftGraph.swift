internal import ORM

/// The naive model of ventures and all that belongs to them, object by object.
///
/// It follows the contract, and runs beside random soft deletes.
struct SoftGraph {
  /// The kinds of objects.
  enum Kind: String, CaseIterable, Hashable {
    case client, deed, venture, chore, stage, memo, leader, sticker

    /// True if a delete hides.
    var isSoft: Bool { self != .client && self != .memo }

    /// The kind that its to-one leads to; nil if it has none.
    var owner: Kind? {
      switch self {
      case .deed, .venture: .client
      case .chore, .memo, .leader: .venture
      case .stage: .chore
      case .client, .sticker: nil
      }
    }

    /// True if it must have one.
    var needsOwner: Bool { self == .deed || self == .chore }

    /// True if it goes with its owner.
    var followsOwner: Bool { self != .leader }
  }

  /// An object by its kind and key.
  struct Object: Hashable, Comparable {
    var kind: Kind
    var id: Int64

    static func < (a: Object, b: Object) -> Bool {
      (a.kind.rawValue, a.id) < (b.kind.rawValue, b.id)
    }
  }

  /// The stored state of an object.
  struct Row {
    var owner: Int64?
    /// The number of the operation that hid it.
    var hidden: Int?
  }

  /// The error that an operation is refused for.
  struct Refusal: RandomRefusal {
    var code: StoreError.Code
    var codes: Set<StoreError.Code> { [code] }
  }

  var rows: [Object: Row] = [:]
  /// The links of stickers to ventures.
  var stuck: [Int64: Set<Int64>] = [:]
  private var operations = 0

  func isVisible(_ object: Object) -> Bool { rows[object].map { $0.hidden == nil } ?? false }

  /// Saves an object with its owner's key.
  mutating func save(_ object: Object, owner: Int64?) throws {
    if let owner, let kind = object.kind.owner {
      let target = Object(kind: kind, id: owner)
      guard isVisible(target) || rows[object]?.owner == owner else {
        throw Refusal(code: .missingTarget)
      }
      if object.kind == .leader {
        for (other, row) in rows where other.kind == .leader && row.owner == owner {
          rows[other]?.owner = nil
        }
      }
    } else if object.kind.needsOwner {
      throw Refusal(code: .missingValue)
    }
    rows[object] = Row(owner: owner)
  }

  /// Saves a sticker that is set to ventures.
  mutating func stick(_ id: Int64, to ventures: [Int64]) throws {
    let isSeen = ventures.allSatisfy { isVisible(Object(kind: .venture, id: $0)) }
    guard isSeen else { throw Refusal(code: .missingTarget) }
    rows[Object(kind: .sticker, id: id)] = Row()
    let stuckVentures = (stuck[id] ?? []).filter { !isVisible(Object(kind: .venture, id: $0)) }
    stuck[id] = stuckVentures.union(ventures)
  }

  private enum Action { case hidden, deleted }

  /// Deletes the visible ones of some objects.
  mutating func delete(_ objects: [Object]) throws -> Int {
    let meant = Set(objects.filter { isVisible($0) })
    var actions: [Object: Action] = [:]
    for object in meant {
      if object.kind.isSoft { hide(object, &actions) } else { remove(object, false, &actions) }
    }
    try finish(actions)
    return meant.count
  }

  /// Deletes the hidden ones of some objects for good.
  mutating func purge(_ objects: [Object]) throws -> Int {
    let meant = Set(objects.filter { rows[$0]?.hidden != nil })
    var actions: [Object: Action] = [:]
    for object in meant { remove(object, true, &actions) }
    try finish(actions)
    return meant.count
  }

  private func belongings(of object: Object) -> [Object] {
    rows.filter { $0.key.kind.owner == object.kind && $0.value.owner == object.id }.map(\.key)
  }

  private func hide(_ object: Object, _ actions: inout [Object: Action]) {
    guard actions[object] == nil, isVisible(object) else { return }
    actions[object] = .hidden
    for other in belongings(of: object) where other.kind.isSoft && other.kind.followsOwner {
      hide(other, &actions)
    }
  }

  private func remove(_ object: Object, _ isPurge: Bool, _ actions: inout [Object: Action]) {
    guard actions[object] != .deleted else { return }
    actions[object] = .deleted
    for other in belongings(of: object) where other.kind.followsOwner {
      if !other.kind.isSoft || other.kind.needsOwner || isPurge && !isVisible(other) {
        remove(other, isPurge, &actions)
      } else {
        hide(other, &actions)
      }
    }
  }

  private mutating func finish(_ actions: [Object: Action]) throws {
    // A sticker on a visible venture is not deleted.
    for sticker in actions.keys where sticker.kind == .sticker {
      for venture in stuck[sticker.id] ?? [] {
        let object = Object(kind: .venture, id: venture)
        if isVisible(object), actions[object] == nil { throw Refusal(code: .denied) }
      }
    }
    operations += 1
    for (object, action) in actions {
      guard action == .deleted else {
        rows[object]?.hidden = operations
        continue
      }
      for other in belongings(of: object) { rows[other]?.owner = nil }
      rows[object] = nil
      if object.kind == .sticker { stuck[object.id] = nil }
      if object.kind == .venture { for id in stuck.keys { stuck[id]?.remove(object.id) } }
    }
  }

  /// Restores the hidden ones of some objects.
  mutating func restore(_ objects: [Object]) throws -> Int {
    let meant = objects.filter { rows[$0]?.hidden != nil }
    var back = Set(meant)
    var open = meant
    while let object = open.popLast() {
      for other in belongings(of: object)
      where other.kind.isSoft && other.kind.followsOwner
        && rows[other]?.hidden == rows[object]?.hidden
      {
        if back.insert(other).inserted { open.append(other) }
      }
    }
    for object in back where object.kind.needsOwner {
      guard let kind = object.kind.owner, let id = rows[object]?.owner else { continue }
      let owner = Object(kind: kind, id: id)
      if !isVisible(owner), !back.contains(owner) { throw Refusal(code: .missingTarget) }
    }
    for object in back { rows[object]?.hidden = nil }
    return Set(meant).count
  }
}
