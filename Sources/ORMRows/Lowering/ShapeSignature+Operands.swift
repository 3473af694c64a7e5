internal import ORMStorage

extension ShapeSignature {
  /// Writes an operand.
  mutating func write(_ operand: Operand) {
    guard isPlain else { return }
    depth += 1
    defer { depth -= 1 }
    if depth > Self.deepest { return refuse() }
    switch operand {
    case .value(let value):
      byte(0)
      write(value)
    case .path(let path):
      byte(1)
      write(path)
    case .json(let inner, let steps):
      byte(2)
      writeInner(inner)
      write(count: steps.count)
      for step in steps { write(step) }
    case .element(let inner, let index):
      byte(3)
      writeInner(inner)
      write(number: index)
    case .arithmetic(let symbol, let left, let right):
      byte(4)
      byte(Self.tag(of: symbol))
      if case .value = left, case .value = right { return refuse() }
      write(left)
      write(right)
    case .negated(let inner):
      byte(5)
      writeInner(inner)
    case .function(let function, let inner):
      byte(6)
      write(function)
      writeInner(inner)
    case .item(let scope):
      byte(7)
      write(number: scope)
    case .ofElements(let kind, let inner, let elements, let condition):
      byte(8)
      byte(Self.tag(of: kind))
      byte(inner == nil ? 0 : 1)
      if let inner { write(inner) }
      write(elements)
      write(condition)
    case .ofItems(let kind, let array, let scope, let condition):
      byte(9)
      byte(Self.tag(of: kind))
      writeInner(array)
      write(number: scope)
      write(condition)
    // Requests with other operands are lowered each time.
    default: refuse()
    }
  }

  /// Writes an operand of which something is worked out, which would be done at once of a constant.
  mutating func writeInner(_ operand: Operand) {
    if case .value = operand { return refuse() }
    write(operand)
  }

  private mutating func write(_ path: Operand.Path) {
    write(count: path.scope)
    write(names: path.names)
  }

  mutating func write(_ elements: Elements) {
    write(elements.path)
    write(number: elements.scope)
  }

  private mutating func write(_ step: JSONStep) {
    switch step {
    case .key(let name):
      byte(0)
      write(name: name)
    case .index(let index):
      byte(1)
      write(number: index)
    }
  }

  private mutating func write(_ function: Operand.Function) {
    byte(Self.tag(of: function))
    switch function {
    case .part(let part, let zone):
      write(name: part.rawValue)
      write(name: zone.text)
    case .cast(let kind): write(name: kind.rawValue)
    default: break
    }
  }

  private static func tag(of symbol: ArithmeticOperator) -> UInt8 {
    switch symbol {
    case .add: 0
    case .subtract: 1
    case .multiply: 2
    case .divide: 3
    case .power: 4
    case .remainder: 5
    case .bitwiseAnd: 6
    case .bitwiseOr: 7
    case .bitwiseXor: 8
    case .shiftLeft: 9
    case .shiftRight: 10
    }
  }

  private static func tag(of function: Operand.Function) -> UInt8 {
    switch function {
    case .length: 0
    case .uppercase: 1
    case .lowercase: 2
    case .abs: 3
    case .ceiling: 4
    case .floor: 5
    case .trunc: 6
    case .count: 7
    case .last: 8
    case .foldC: 9
    case .foldD: 10
    case .foldCD: 11
    case .foldN: 12
    case .foldCN: 13
    case .foldDN: 14
    case .foldCDN: 15
    case .round: 16
    case .sqrt: 17
    case .exp: 18
    case .ln: 19
    case .log: 20
    case .onesComplement: 21
    case .part: 22
    case .cast: 23
    }
  }
}
