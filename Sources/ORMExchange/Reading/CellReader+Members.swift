internal import ORM

extension CellReader {
  /// Reads the members of an object, whose opening brace is at the scanner's position.
  func readMembers(of node: MemberNode, _ scanner: inout JSONScanner, depth: Int) throws {
    if depth >= reading.limits.depth {
      throw reading.broken("more than \(reading.limits.depth) nested objects and arrays", scanner)
    }
    scanner.position += 1
    if scanner.skip(UInt8(ascii: "}")) { return }
    var count = 0
    // The successor of no member is the one that came first the last time.
    var last = node.firstSlot + node.slots.count
    var seen: [Bool]?
    repeat {
      scanner.skipSpace()
      let start = scanner.position
      guard let name = scanner.string() else {
        throw reading.broken("no name of a member", scanner)
      }
      guard scanner.skip(UInt8(ascii: ":")) else {
        throw reading.broken("no colon after a name", scanner)
      }
      count &+= 1
      if count > reading.limits.members || name.range.count > reading.limits.nameSize {
        throw reading.broken("too many members, or a name that is too long", scanner)
      }
      guard let position = slot(named: name, in: node, after: last, scanner) else {
        try skipUnknown(start, &scanner, depth: depth)
        continue
      }
      successors[last] = Int32(truncatingIfNeeded: position)
      last = node.firstSlot + position
      if record.isStrict { checkRepeated(position, start, node, &seen) }
      let slot = node.slots[position]
      switch slot.action {
      case .column: try readColumn(slot.index, slot.rank, &scanner, depth: depth + 1)
      case .link: try links[slot.index].read(&scanner, rank: slot.rank, depth: depth + 1)
      case .object: try readObject(node.nodes[slot.index], &scanner, depth: depth + 1)
      case .several: try readSeveral(node.several[slot.index], &scanner, depth: depth + 1)
      }
    } while scanner.skip(UInt8(ascii: ","))
    guard scanner.skip(UInt8(ascii: "}")) else {
      throw reading.broken("no comma and no closing brace after a member", scanner)
    }
  }

  /// The slot of a name; nil for a name that is not read.
  @inline(__always)
  private func slot(
    named name: JSONScanner.StringToken, in node: MemberNode, after last: Int,
    _ scanner: JSONScanner
  ) -> Int? {
    if name.hasEscapes {
      guard let text = scanner.text(of: name) else { return nil }
      return ByteOrder.withBytes(of: text) { node.slot(named: $0) }
    }
    let bytes = UnsafeRawBufferPointer(rebasing: scanner.bytes[name.range])
    let guess = Int(successors[last])
    if guess >= 0, node.isName(node.slots[guess], bytes) { return guess }
    return node.slot(named: bytes)
  }

  @inline(never)
  private func skipUnknown(_ start: Int, _ scanner: inout JSONScanner, depth: Int) throws {
    if record.isStrict { addUnknown(scanner.position) }
    try reading.skip(&scanner, depth: depth + 1)
  }

  private func addUnknown(_ offset: Int) {
    reading.faults.add(
      JSONFault(
        offset: offset, message: "the mapping does not know the member", kind: .unknownMember,
        entity: record.entity))
  }

  @inline(never)
  private func checkRepeated(
    _ position: Int, _ start: Int, _ node: MemberNode, _ seen: inout [Bool]?
  ) {
    var known = seen ?? Array(repeating: false, count: node.slots.count)
    if known[position] {
      reading.faults.add(
        JSONFault(
          offset: start, message: "a member comes twice", kind: .unknownMember,
          entity: record.entity))
    }
    known[position] = true
    seen = known
  }

  /// Reads the members of an object inside the record, or null.
  private func readObject(_ node: MemberNode, _ scanner: inout JSONScanner, depth: Int) throws {
    scanner.skipSpace()
    if scanner.next == UInt8(ascii: "{") {
      // Of two members with one name the last counts alone.
      for step in node.below { clear(step.target) }
      if let mark = node.presence { set(mark, rank: 0, to: cell(of: .bool(true))) }
      return try readMembers(of: node, &scanner, depth: depth)
    }
    if scanner.skip(word: "null") {
      for step in node.below { try setNull(step.target, scanner.position - 4) }
      return
    }
    reading.faults.add(
      JSONFault(
        offset: scanner.position, message: "expected an object, found \(scanner.found)",
        entity: record.entity))
    try reading.skip(&scanner, depth: depth)
  }

  /// Discards the value of an earlier member of the same name.
  private func clear(_ target: PathTree.Target) {
    switch target {
    case .column(let column, let rank):
      if cells[column].rank == rank { cells[column] = base[column] }
    case .link, .presence, .elsewhere, .otherKind: break
    }
  }

  /// Sets a target to null, since the object that has it is null.
  private func setNull(_ target: PathTree.Target, _ start: Int) throws {
    switch target {
    case .column(let column, let rank): setNull(column, rank, start, isInside: true)
    case .link(let link, let rank): links[link].setNull(rank: rank)
    case .presence(let mark): set(mark, rank: 0, to: JSONCell(kind: .null))
    case .elsewhere, .otherKind: break
    }
  }

  /// Reads several things of one member: the value is checked once, and then looked into.
  private func readSeveral(
    _ steps: [MemberNode.Step], _ scanner: inout JSONScanner, depth: Int
  ) throws {
    scanner.skipSpace()
    let start = scanner.position
    try reading.skip(&scanner, depth: depth)
    for step in steps {
      var inner = scanner
      inner.position = start
      try read(step.target, at: step.path[...], &inner, depth: depth)
    }
  }

  /// Reads a target at a path from a value that was checked.
  private func read(
    _ target: PathTree.Target, at path: ArraySlice<PathStep>, _ scanner: inout JSONScanner,
    depth: Int
  ) throws {
    if let each = path.firstIndex(of: .each) {
      guard ValueReading.enter(path[..<each], &scanner) else { return }
      return try readElements(target, at: path[(each + 1)...], &scanner, depth: depth)
    }
    guard ValueReading.enter(path, &scanner) else { return }
    scanner.skipSpace()
    switch target {
    case .column(let column, let rank): try readColumn(column, rank, &scanner, depth: depth)
    case .link(let link, let rank):
      try links[link].read(&scanner, rank: rank, depth: depth)
    case .presence(let mark):
      let isThere = scanner.next == UInt8(ascii: "{")
      set(mark, rank: 0, to: isThere ? cell(of: .bool(true)) : JSONCell(kind: .null))
    case .otherKind: if scanner.next != UInt8(ascii: "n") { addUnknown(scanner.position) }
    case .elsewhere: break
    }
  }

  /// Reads one value out of each element of an array.
  private func readElements(
    _ target: PathTree.Target, at path: ArraySlice<PathStep>, _ scanner: inout JSONScanner,
    depth: Int
  ) throws {
    switch target {
    case .column(let column, let rank):
      readElements(of: column, rank, at: path, &scanner)
    case .link(let link, let rank):
      let reader = links[link]
      if scanner.next == UInt8(ascii: "n") { return reader.setNull(rank: rank) }
      guard reader.begin(rank: rank) else { return }
      guard scanner.next == UInt8(ascii: "[") else { return reader.refuseList(scanner) }
      try ValueReading.forEachElement(&scanner) { element in
        guard ValueReading.enter(path, &element) else { return }
        try reader.readElement(&element, depth: depth + 1)
      }
    case .presence, .elsewhere, .otherKind: break
    }
  }
}
