internal import ORM

/// An entity whose key has another name than `id`.
struct Coupon: Persistable, PrimaryKeyed, Codable, Hashable {
  var couponNumber: Int64 = 0
  var label: String
  var id: Int64 {
    get { couponNumber }
    set { couponNumber = newValue }
  }
  static let entity = Entity<Coupon>("Coupon") {
    .key("couponNumber", \.couponNumber, .generated, id: \.id)
      .attribute("label", \.label)
  }

  init(_ label: String) { self.label = label }
}

/// An entity with a key of two attributes, none of them in `id`, and a link to a coupon.
struct Booth: Persistable, PrimaryKeyed, Hashable {
  struct Spot: CompositeKey {
    var hall: String
    var number: Int
  }
  var spot: Spot
  var coupon: ToOne<Coupon>
  var id: Spot {
    get { spot }
    set { spot = newValue }
  }
  static let entity = Entity<Booth>("Booth") {
    .key("hall", \.spot.hall, id: \.id.hall)
      .key("number", \.spot.number, id: \.id.number)
      .relationship("coupon", \.coupon)
  }

  init(_ hall: String, _ number: Int, coupon: ToOne<Coupon> = ToOne()) {
    spot = Spot(hall: hall, number: number)
    self.coupon = coupon
  }

  init<R: RowReader & ~Copyable>(row: borrowing R) throws {
    spot = try Spot(hall: row[0], number: row[1])
    coupon = try row.toOne(0, of: Booth.self)
  }

  func encode<W: RowWriter & ~Copyable>(into row: inout W) throws {
    try row.write(spot.hall, at: 0)
    try row.write(spot.number, at: 1)
    try row.write(coupon, toOne: 0, of: Booth.self)
  }
}
